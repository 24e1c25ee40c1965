/** Which RuntimeProfile an object is about. A reference never leaves the namespace. */
import { obj, objectName } from './dialect.ts';

export const profileRef = obj('The RuntimeProfile of the same namespace whose pods are governed.', {
  name: objectName('Its name.'),
});
