import path from 'node:path';

/** The files of one embedded control plane, all below its own folder, so that a path is enough to find it again. */
export interface Layout {
  readonly folder: string;
  readonly pki: string;
  readonly etcdData: string;
  readonly auditPolicy: string;
  readonly auditLog: string;
  readonly adminKubeconfig: string;
  readonly controllerKubeconfig: string;
  readonly plan: string;
  readonly state: string;
  readonly logs: string;
}

export const COMPONENTS = ['etcd', 'kube-apiserver', 'kube-controller-manager'] as const;
export type Component = (typeof COMPONENTS)[number];

export function layoutOf(folder: string): Layout {
  const at = (...parts: string[]): string => path.join(folder, ...parts);
  return {
    folder,
    pki: at('pki'),
    etcdData: at('etcd'),
    auditPolicy: at('audit-policy.json'),
    auditLog: at('audit.log'),
    adminKubeconfig: at('admin.kubeconfig'),
    controllerKubeconfig: at('controller-manager.kubeconfig'),
    plan: at('plan.json'),
    state: at('state.json'),
    logs: at('logs'),
  };
}

/** While this file exists, the supervisor leaves the component down. */
export function holdFile(layout: Layout, component: Component): string {
  return path.join(layout.folder, `hold-${component}`);
}

/** What the supervisor starts; written once, before it starts. */
export interface Plan {
  readonly url: string;
  readonly etcdUrl: string;
  readonly components: Readonly<Record<Component, { readonly command: string; readonly args: readonly string[] }>>;
}

/** What runs now; rewritten by the supervisor at every start of a component. A component that is down has no pid. */
export interface State {
  readonly supervisor: number;
  readonly components: Partial<Record<Component, number>>;
}
