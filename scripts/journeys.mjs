import { buildPackages } from './steps/build-packages.mjs'
import { installPackages } from './steps/install-packages.mjs'
import { fail } from './steps/output.mjs'
import { prepareBrowser } from './steps/prepare-browser.mjs'
import { preparePython } from './steps/prepare-python.mjs'
import { runTool } from './steps/run-command.mjs'

// npm run journeys [-- --full, and arguments of vitest]: user journeys in a browser against the built server, with
// waiting times. With --full they run over a million runs, and exceeding a budget is a failure.
const isFull = process.argv.includes('--full')
const args = process.argv.slice(2).filter((word) => word !== '--full')
installPackages()
if (!buildPackages()) fail('The journeys did not start: a package does not build.')
const scale = { TOUCHSTONE_JOURNEYS: isFull ? 'full' : 'small' }
const env = { ...process.env, ...prepareBrowser(), ...preparePython(), ...scale }
const journeys = ['e2e/web/journeys', 'e2e/web/threads.test.ts']
process.exit(
  runTool('vitest', ['run', '--project', 'e2e-alone', '--project', 'e2e-web', ...journeys, ...args], { env }),
)
