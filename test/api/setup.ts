/** One control plane for all files of this level: etcd, API server and controller manager, as real processes. */
import { provideEmbedded } from '../support/embedded.ts';

export const setup = provideEmbedded;
