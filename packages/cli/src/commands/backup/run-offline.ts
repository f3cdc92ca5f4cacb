import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { ProgramError } from '../../exit-codes.ts'

/** What the server's program prints about a backup. */
export interface OfflineResult {
  backup: string
  data_dir?: string
  touchstone_version: string
  point_in_time: string
  bytes: number
  files: number
}

/**
 * Runs the program of the server, which has the engines that the command line lacks. Its messages go to standard error.
 *
 * @throws ProgramError with its exit code when it fails
 */
export async function runOffline(args: readonly string[]): Promise<OfflineResult> {
  const child = spawn(process.execPath, [findServer(), ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  child.stdout.on('data', (chunk) => {
    printed += chunk
  })
  const code = await new Promise<number | null>((done) => child.once('close', done))
  if (code !== 0) throw new ProgramError(code ?? 1)
  return JSON.parse(printed) as OfflineResult
}

/** @throws Error where only the command line is installed */
function findServer(): string {
  try {
    // Its entry and its program lie side by side.
    return join(dirname(createRequire(import.meta.url).resolve('@touchstone/server')), 'main.js')
  } catch (error) {
    throw new Error(
      'The server is not installed beside this command line. Run this on the machine of the server, or use `touchstone-server --verify-backup PATH` and `touchstone-server --restore-backup PATH --data-dir DIR` there.',
      { cause: error },
    )
  }
}
