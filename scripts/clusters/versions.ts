/**
 * One table of pins. A version that is also a Go module version stands in `tools/<name>/go.mod` as well, and a unit
 * test keeps the two equal.
 */
export const VERSIONS = {
  kubernetes: '1.36.3',
  etcd: '3.6.8',
  coredns: '1.14.1',
  containerd: '2.4.2',
  crictl: '1.37.0',
  kind: '0.33.0',
  helm3: '3.22.0',
  helm4: '4.3.1',
  chartTesting: '3.14.0',
  kubeconform: '0.8.0',
  gopherLua: '1.1.1',
  kstatus: '1.2.2',
  containerregistry: '0.22.1',
  cilium: '1.20.2',
  pause: '3.10.2',
} as const;

/**
 * Tags under which kubeadm of this Kubernetes version expects its images
 * (kubernetes/kubernetes: cmd/kubeadm/app/constants/constants.go). They name an image, not what is inside:
 * the CoreDNS tag is kubeadm's, the binary is `VERSIONS.coredns`.
 */
export const KUBEADM_IMAGE_TAGS = { etcd: '3.6.8-0', coredns: 'v1.14.2', pause: VERSIONS.pause } as const;

/** Debian release of every image built here. Newer systemd refuses cgroup v1, which some hosts still have. */
export const DEBIAN_SUITE = 'bookworm';

/** Default of the pinned kind (kubernetes-sigs/kind: pkg/apis/config/defaults/image.go), without its digest. */
export const PUBLIC_NODE_IMAGE = 'docker.io/kindest/node:v1.37.0';

/** Where images can be pulled: builds and test clients start from this one. */
export const PUBLIC_BUILDER_IMAGE = 'docker.io/library/node:24-bookworm-slim';
