import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildPackages } from './steps/build-packages.mjs'
import { countTests, listSlowestFiles, printSlowestFiles, printTally } from './steps/count-tests.mjs'
import { installPackages } from './steps/install-packages.mjs'
import { prepareBrowser } from './steps/prepare-browser.mjs'
import { preparePostgres } from './steps/prepare-postgres.mjs'
import { preparePython } from './steps/prepare-python.mjs'
import { root } from './steps/root.mjs'
import { runTool } from './steps/run-command.mjs'
import { giveUp, say } from './steps/say.mjs'

// npm test [-- vitest's own arguments]: installs what it needs, builds, runs everything, ends with the tally.
installPackages()
if (!buildPackages()) giveUp('Nothing was tested: a package does not build.')
const postgres = preparePostgres()
// Told by environment, so that a suite started alone (npx vitest --project 'e2e*') works the same way.
const env = { ...process.env, ...prepareBrowser(), ...preparePython(), ...postgres.env }

say('Running every test')
const report = '.cache/test-report.json'
rmSync(join(root, report), { force: true })
const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
const code = runTool('vitest', [...args, ...process.argv.slice(2)], { env })
postgres.stop()

const tally = countTests(report, code)
printSlowestFiles(listSlowestFiles(report))
printTally(tally)
process.exit(tally.failed === 0 ? 0 : 1)
