import { buildPackages } from './steps/build-packages.mjs'
import { installPackages } from './steps/install-packages.mjs'
import { prepareBrowser } from './steps/prepare-browser.mjs'
import { preparePython } from './steps/prepare-python.mjs'
import { runTool } from './steps/run-command.mjs'
import { giveUp } from './steps/say.mjs'

// npm run journeys [-- --full, and vitest's own arguments]: what people do, in a browser against the built server, and how
// long they wait. With --full over a million runs, and what takes longer than it may is a failure.
const isFull = process.argv.includes('--full')
const args = process.argv.slice(2).filter((word) => word !== '--full')
installPackages()
if (!buildPackages()) giveUp('No journey was begun: a package does not build.')
const env = { ...process.env, ...prepareBrowser(), ...preparePython(), ...(isFull && { TOUCHSTONE_JOURNEYS: 'full' }) }
const journeys = ['e2e/web/journeys', 'e2e/web/threads.test.ts']
process.exit(
  runTool('vitest', ['run', '--project', 'e2e-alone', '--project', 'e2e-web', ...journeys, ...args], { env }),
)
