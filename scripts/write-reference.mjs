import { root } from './steps/root.mjs'
import { becomeCommand } from './steps/run-command.mjs'

// Writes docs/reference from the contract and the settings; a test of the server compares.
const sources = ['--conditions=touchstone:source', '--import=tsx']
becomeCommand(process.execPath, [...sources, 'packages/server/src/reference/write.ts'], { cwd: root })
