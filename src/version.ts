/** The version of the product: that of package.json, which the bundle holds a copy of. */
import manifest from '../package.json' with { type: 'json' };

export const PRODUCT_VERSION: string = manifest.version;
