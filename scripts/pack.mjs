import { join } from 'node:path'
import { buildPackages } from './steps/build-packages.mjs'
import { installPackages } from './steps/install-packages.mjs'
import { fail } from './steps/output.mjs'
import { packPackages } from './steps/pack-packages.mjs'
import { root } from './steps/root.mjs'

// npm run pack: builds the packages and packs them as they are published, into .cache/packages.
installPackages()
if (!buildPackages()) fail('Nothing was packed: a package does not build.')
for (const { path, bytes } of packPackages(join(root, '.cache/packages'))) {
  console.log(`${(bytes / 1e6).toFixed(1).padStart(6)} MB  ${path}`)
}
