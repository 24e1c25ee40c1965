/** The policies of the demo, as files that a person can read, edit and apply again. */
import path from 'node:path';
import { REPOSITORY } from '../lib/repository.ts';

export const EXAMPLES = {
  profile: 'runtime-profile.yaml',
  names: 'names.yaml',
  addresses: 'addresses.yaml',
} as const;

/** Examples that the demo does without. Each is applied by a test of its kind, in test/api/. */
export const OTHER_EXAMPLES = ['policy-bundle.yaml', 'runtime-profile-strict.yaml', 'secret-binding.yaml'] as const;

/** Path of the file as a person in the repository would write it. */
export function exampleFile(name: keyof typeof EXAMPLES): string {
  return path.join('examples', EXAMPLES[name]);
}

export function examplePath(name: keyof typeof EXAMPLES): string {
  return path.join(REPOSITORY, exampleFile(name));
}
