import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { ChildProcessError } from './exit-codes.ts'

/**
 * Starts the server in the foreground of this terminal; returns when it has stopped.
 *
 * @throws ChildProcessError with its exit code when it fails
 */
export async function runServer(args: readonly string[]): Promise<void> {
  // By default glibc keeps up to eight heaps per core, whose freed pages stay resident: 30 MB of an idle server. It reads
  // this variable before the program begins.
  const env = { MALLOC_ARENA_MAX: '1', ...process.env }
  const child = spawn(process.execPath, [findServerProgram(), ...args], { stdio: 'inherit', env })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  // npm and npx start this process below a shell that passes no signals on.
  const parent = process.ppid
  setInterval(() => process.ppid === parent || child.kill('SIGTERM'), PARENT_CHECK_MS).unref()
  const code = await new Promise<number | null>((done) => child.once('close', done))
  if (code !== 0) throw new ChildProcessError(code ?? 1)
}

const PARENT_CHECK_MS = 500

/**
 * Runs a task of the server program, because the CLI does not contain the storage engines. Its messages go to standard
 * error.
 *
 * @param mayFail  whether what it printed is a result although it failed
 * @returns what it printed
 * @throws ChildProcessError with its exit code when it fails
 */
export async function runServerTask(
  args: readonly string[],
  mayFail: (printed: string) => boolean = () => false,
): Promise<string> {
  const child = spawn(process.execPath, [findServerProgram(), ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  child.stdout.on('data', (chunk) => {
    printed += chunk
  })
  const code = await new Promise<number | null>((done) => child.once('close', done))
  if (code !== 0 && !mayFail(printed)) throw new ChildProcessError(code ?? 1)
  return printed
}

/** @throws Error when only the CLI is installed */
function findServerProgram(): string {
  try {
    // The program is in the same folder as the entry point of the package.
    return join(dirname(createRequire(import.meta.url).resolve('@touchstone/server')), 'main.cjs')
  } catch (error) {
    throw new Error(
      'The server is not installed together with this CLI. Install the package `touchstone`, which contains both, on the machine of the server, and run this there.',
      { cause: error },
    )
  }
}
