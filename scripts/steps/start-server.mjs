import { join } from 'node:path'
import { buildPackages } from './build-packages.mjs'
import { installPackages } from './install-packages.mjs'
import { root } from './root.mjs'
import { becomeCommand } from './run-command.mjs'

/** Installs and builds what is missing, then runs the built server. */
export function startServer(args) {
  installPackages()
  if (!buildPackages({ only: ['server', 'web', 'cli'] })) process.exit(1)
  const program = join(root, 'packages/server/dist/main.cjs')
  // See `runServer` of the CLI.
  const env = { MALLOC_ARENA_MAX: '1', ...process.env }
  becomeCommand(process.execPath, [program, ...args], { cwd: process.cwd(), env })
}
