import type { RbacV1Subject } from '@kubernetes/client-node';
import { Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import { inventorySystem } from '../rbac/rules.ts';
import { addAdmissionPolicies, Fences } from './admission/admission.ts';
import type { ReleasedChartProps } from './agentplane-chart.ts';
import { ClusterRefusals } from './cluster-refusals.ts';
import { addCommonMetadata } from './common-metadata.ts';
import { CustomerRoles } from './customer-roles.ts';
import { all, isSet } from './expr/operators.ts';
import { GrantedRole, serviceAccountSubject } from './granted-role.ts';
import { chartLabels } from './labels.ts';
import { names } from './names.ts';
import { RuntimeClassReader } from './runtime-class-reader.ts';
import { each } from './structure/each.ts';
import { When } from './structure/when.ts';
import { clusterValues } from './values/cluster.ts';
import { valueRefs } from './values/refs.ts';

/** What only a platform admin may grant. Its values list the installs, so that no tenant can widen its own fence. */
export class ClusterChart extends Chart {
  constructor(scope: Construct, id: string, props: ReleasedChartProps) {
    super(scope, id, { disableResourceNameHashes: true });
    const values = valueRefs(clusterValues);
    const { installs } = values;
    new ClusterRefusals(this, 'refusals', values);
    const labels = chartLabels('agentplane-cluster', props.version);
    const listed = new When(this, 'inventory', { condition: isSet(installs) });
    new GrantedRole(listed, 'system-role', {
      grant: inventorySystem,
      namespace: names.systemNamespace,
      subjects: [
        each<(typeof installs)['items'], RbacV1Subject>(installs, '$install', ({ namespace }) =>
          serviceAccountSubject(names.inventory, `${namespace}`),
        ),
      ],
      labels,
    });
    const reading = new When(this, 'runtime-classes', {
      condition: all(isSet(installs), isSet(values.runtimeClasses)),
    });
    new RuntimeClassReader(reading, 'reader', { values, labels });
    const aggregated = new When(this, 'customer-roles', { condition: values.aggregatedRoles.enabled });
    new CustomerRoles(aggregated, 'roles', { labels });
    addAdmissionPolicies(this, { values, labels });
    new Fences(this, 'fences', { values, labels });
    addCommonMetadata(this, values);
  }
}
