import { buildPackages } from '../../scripts/steps/build-packages.mjs'

/**
 * These tests use the built programs and the built SDK, so they must not run on builds that do not match the sources.
 * `npm test` has built before; a suite started alone builds here.
 */
export default function insistOnBuild() {
  if (process.env.TOUCHSTONE_E2E_BUILD === 'skip') return
  if (!buildPackages({ only: ['sdk', 'server', 'web', 'cli'] }))
    throw new Error('The end-to-end tests need a build; it failed above.')
}
