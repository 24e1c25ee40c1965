/** Subjects that stand for more than somebody. */
export const BROAD_SUBJECTS: readonly { readonly kind: string; readonly pattern: RegExp; readonly who: string }[] = [
  {
    kind: 'Group',
    pattern: /^system:authenticated$/,
    who: 'everybody who has any credential, each ServiceAccount among them',
  },
  { kind: 'Group', pattern: /^system:unauthenticated$/, who: 'everybody who can reach the API server' },
  {
    kind: 'Group',
    pattern: /^system:serviceaccounts(:|$)/,
    who: 'each of many ServiceAccounts, also those that come later',
  },
  {
    kind: 'Group',
    pattern: /^system:masters$/,
    who: 'a group to which every right belongs that cannot be taken away',
  },
  {
    kind: 'Group',
    pattern: /^system:nodes$/,
    who: 'every node, and with one of them whoever breaks out of a pod there',
  },
  {
    kind: 'Group',
    pattern: /^system:bootstrappers(:|$)/,
    who: 'whoever holds a token by which nodes join, of those that exist and of later ones',
  },
  { kind: 'User', pattern: /^system:anonymous$/, who: 'everybody who can reach the API server' },
];
