import { execFile } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const suites = fileURLToPath(new URL('suites', import.meta.url))

/** A project of a user with our package, the public client and both test runners installed. */
export interface Consumer {
  /** Runs the suite that `SUITE_FILE` names; failing tests are a result and not an error. */
  run(runner: 'vitest' | 'jest', env: Record<string, string>): Promise<{ code: number; output: string }>
  remove(): void
}

export function aConsumer(): Consumer {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-suites-'))
  const sdk = join(folder, 'node_modules/@touchstone/sdk')
  mkdirSync(sdk, { recursive: true })
  cpSync(join(repository, 'packages/sdk/dist'), join(sdk, 'dist'), { recursive: true })
  copyFileSync(join(repository, 'packages/sdk/package.json'), join(sdk, 'package.json'))
  for (const name of ['vitest', 'jest', '@jest', 'langsmith']) {
    symlinkSync(join(repository, 'node_modules', name), join(folder, 'node_modules', name))
  }
  for (const name of readdirSync(suites)) copyFileSync(join(suites, name), join(folder, name))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', name: 'consumer' }))
  writeFileSync(join(folder, 'vitest.config.mjs'), VITEST)
  writeFileSync(join(folder, 'jest.config.mjs'), JEST)
  return {
    run: (runner, env) => run(folder, COMMANDS[runner], env),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

const VITEST = `export default { test: { include: [process.env.SUITE_FILE], reporters: [process.env.SUITE_REPORTER] } }`
const JEST = `export default {
  testMatch: ['**/' + process.env.SUITE_FILE], moduleFileExtensions: ['js', 'mjs', 'cjs', 'json'], transform: {},
  reporters: [process.env.SUITE_REPORTER],
}`

const COMMANDS = {
  vitest: [join(repository, 'node_modules/vitest/vitest.mjs'), 'run'],
  jest: ['--experimental-vm-modules', join(repository, 'node_modules/jest/bin/jest.js')],
}

function run(cwd: string, args: readonly string[], env: Record<string, string>) {
  const environment = { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1', CI: 'true', ...env }
  return new Promise<{ code: number; output: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      args,
      { cwd, env: environment, maxBuffer: 1e8, timeout: 60_000 },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    )
  })
}
