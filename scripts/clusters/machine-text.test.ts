import { expect, test } from 'vitest';
import { ciliumValues } from './cilium.ts';
import { mirrorIn } from './debian-image.ts';
import { parseFlavour } from './flavours.ts';
import { imageReference } from './images.ts';
import { subnetsIn } from './targets.ts';

test('the archive of Debian is found in apt sources of both formats, and no other archive is', () => {
  const deb822 = 'Types: deb\n# URIs: http://old.test/debian\nURIs: http://mirror.test/debian\nSuites: bookworm';
  const security = 'URIs: http://mirror.test/debian-security\ndeb https://other.test/apt stable main';
  const oneLine =
    'deb [signed-by=/k.gpg] http://second.test/debian/ bookworm main\ndeb http://third.test/debian bookworm main';
  expect(mirrorIn(`${security}\n${deb822}\n${oneLine}`)).toEqual([
    'http://mirror.test/debian',
    'http://second.test/debian/',
    'http://third.test/debian',
  ]);
});

test('subnets are found in what podman and docker print', () => {
  expect(subnetsIn([{ subnets: [{ subnet: 'fc00::/64' }, { subnet: '10.89.0.0/24' }] }])).toEqual([
    'fc00::/64',
    '10.89.0.0/24',
  ]);
  expect(subnetsIn([{ IPAM: { Config: [{ Subnet: '172.18.0.0/16' }] } }])).toEqual(['172.18.0.0/16']);
});

test('the two Cilium flavours differ in the proxy and in nothing else', () => {
  const image = 'localhost/agentplane/cilium:v1';
  const { l7Proxy: on, ...first } = ciliumValues({ l7Proxy: true, image });
  const { l7Proxy: off, ...second } = ciliumValues({ l7Proxy: false, image });
  expect([on, off]).toEqual([true, false]);
  expect(first).toEqual(second);
});

test('a published Cilium keeps its own image and its operator', () => {
  const values = ciliumValues({ l7Proxy: true, image: undefined });
  expect(values).not.toHaveProperty('image');
  expect(values).toMatchObject({ operator: { replicas: 1 } });
});

test('the tag of an image follows its inputs', () => {
  const reference = (inputs: unknown): string => imageReference({ name: 'x', version: 'v1', inputs });
  expect(reference({ a: 1 })).toMatch(/^localhost\/agentplane\/x:v1-[0-9a-f]{12}$/);
  expect(reference({ a: 1 })).not.toBe(reference({ a: 2 }));
});

test('an unknown flavour is refused with the names that exist', () => {
  expect(parseFlavour('cilium-no-l7')).toBe('cilium-no-l7');
  expect(() => parseFlavour('calico')).toThrow('choose one of plain, cilium, cilium-no-l7');
  expect(() => parseFlavour('toString')).toThrow('unknown flavour');
});
