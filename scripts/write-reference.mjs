import { root } from './steps/root.mjs'
import { becomeCommand, runCommand } from './steps/run-command.mjs'

// Writes docs/reference from the contract, the settings, the commands, the SDK and the table of the specification, and
// docs/guides/first-trace.md from the quickstarts of the UI. Tests of their packages compare the pages.
const sources = ['--conditions=touchstone:source', '--import=tsx']
for (const script of [
  'e2e/parity/write.ts',
  'packages/cli/src/write-reference.ts',
  'packages/web/scripts/write-guide.ts',
]) {
  const status = runCommand(process.execPath, [...sources, script])
  if (status !== 0) process.exit(status)
}
const sdkStatus = runCommand(process.execPath, ['packages/sdk/scripts/write-reference.mjs'])
if (sdkStatus !== 0) process.exit(sdkStatus)
becomeCommand(process.execPath, [...sources, 'packages/server/src/reference/write.ts'], { cwd: root })
