/** String formats of the Kubernetes API, as anchored RE2 patterns. */

/** A namespace: an RFC 1123 label. */
export const dnsLabel = '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$';

/** The name of most objects: an RFC 1123 subdomain. Its length is bounded apart. */
export const dnsSubdomain = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$';

/** `namespace/name`. */
export const namespacedName = '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?/[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$';

/** A user as RBAC names one; bounded to what needs no quoting. */
export const userName = '^[A-Za-z0-9]([-A-Za-z0-9:._@]*[A-Za-z0-9])?$';

export const labelValue = '^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$';

/** Text that Helm can write as YAML: of what has one of these characters it writes nothing at all, or another character. */
export const yamlText = '^[^\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]*$';

/** What `labelKey` cannot count: the prefix of a key is a DNS subdomain, so at most 253 characters. */
export const overlongKey = '^[^/]{254,}/';

export const labelKey =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$';

const octet = '(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';

/** A part of a pattern, like the next one. */
export const ipv4 = `(${octet}\\.){3}${octet}`;

/** IPv6 in hexadecimal groups, by where the `::` stands behind the first of them (RFC 4291, 2.2). */
function ipv6Of(group: string, first = group): string {
  return [
    'F:(H:){6}H',
    'F:(H:){0,6}:',
    'F:(H:){0,5}:H',
    'F:(H:){0,4}(:H){1,2}',
    'F:(H:){0,3}(:H){1,3}',
    'F:(H:){0,2}(:H){1,4}',
    'F:(H:){0,1}(:H){1,5}',
    'F:(:H){1,6}',
  ]
    .join('|')
    .replaceAll('F', first)
    .replaceAll('H', group);
}

const hexadecimal = '[0-9a-f]{1,4}';
export const ipv6 = `${ipv6Of(hexadecimal)}|:(:${hexadecimal}){1,7}|::`;

/** One address, not a block. */
export const ipAddress = `^(${ipv4}|${ipv6})$`;

/**
 * The same of something that answers: unicast of IPv4, and of IPv6 global unicast and unique local addresses (2000::/3, RFC 4291; fc00::/7,
 * RFC 4193). No group begins with a zero, so that what an address begins with is written in one way only.
 */
const serverIpv4 = `(22[0-3]|2[01][0-9]|1[0-9][0-9]|[1-9][0-9]?)(\\.${octet}){3}`;
const serverIpv6 = ipv6Of('(0|[1-9a-f][0-9a-f]{0,3})', '([23][0-9a-f]{3}|f[cd][0-9a-f]{2})');
export const serverAddress = `^(${serverIpv4}|${serverIpv6})$`;

/** A repository without tag or digest; a port is allowed in the host part. */
export const imageRepository = '^[a-z0-9]([-a-z0-9._]*[a-z0-9])?(:[0-9]{1,5})?(/[a-z0-9]([-a-z0-9._]*[a-z0-9])?)*$';

export const imageTag = '^([A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?$';

export const imageDigest = '^(sha256:[a-f0-9]{64})?$';

/** A duration as the Prometheus Operator takes it, from seconds to hours. */
export const duration = '^[1-9][0-9]{0,4}(s|m|h)$';

export const quantity = '^[0-9]+(\\.[0-9]+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$';

/** A part of a pattern: the prefixes of the keys that every chart sets. */
export const ownPrefixes = '(app|batch)\\.kubernetes\\.io|helm\\.sh|agentplane\\.dev';
