import { buildPackages } from './steps/build-packages.mjs'
import { installPackages } from './steps/install-packages.mjs'

// npm run build [-- --force] [-- sdk server]
const args = process.argv.slice(2)
const only = args.filter((word) => !word.startsWith('-'))
installPackages()
process.exit(buildPackages({ force: args.includes('--force'), only: only.length > 0 ? only : undefined }) ? 0 : 1)
