import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { copyFolder } from './copy-folder.ts'

export interface StartOptions {
  /** Added to the environment; TOUCHSTONE_ and LANGSMITH_ variables of the caller's shell are not passed on. */
  readonly env?: Readonly<Record<string, string>>
  /** Command-line arguments after `--port`, `--data-dir`. */
  readonly args?: readonly string[]
  /** Kept when the server stops. @default a new temporary folder, removed by `stop` */
  readonly dataDir?: string
  /** @default a free one */
  readonly port?: number
  /** URL that answers as soon as the server has started. @default `/ok` */
  readonly answersAt?: string
  /** Milliseconds until it must answer. @default 60,000 */
  readonly timeoutMs?: number
  /** A command that starts the server, e.g. `['prlimit', '--fsize=1000000']`. */
  readonly under?: readonly string[]
  /** The program with its first arguments. @default the built server in this version of Node */
  readonly command?: readonly string[]
}

export interface StartedServer {
  /** Without a trailing slash, e.g. `http://127.0.0.1:41234`. */
  readonly url: string
  readonly dataDir: string
  readonly pid: number
  /** All output so far, standard output and error together. */
  output(): string
  /** Resident memory in bytes; 0 when unknown. */
  residentBytes(): Promise<number>
  /** Resolves with the exit code when the process has ended, for any reason. */
  readonly exited: Promise<number | null>
  /** Stops the server (SIGTERM) and waits; removes a data folder that was created here. */
  stop(): Promise<number | null>
  /** Kills the server (SIGKILL) and waits; the data folder is kept. */
  kill(): Promise<void>
}

/** Starts the built server in its own process and waits until it answers. */
export async function startServer(options: StartOptions = {}): Promise<StartedServer> {
  const dataDir = options.dataDir ?? (await freshDataDir())
  const port = options.port ?? (await freePort())
  const url = `http://127.0.0.1:${port}`
  const program = options.command ?? [process.execPath, main]
  const command = [...program, '--port', String(port), '--data-dir', dataDir, ...(options.args ?? [])]
  const [first, ...args] = [...(options.under ?? []), ...command]
  const child = spawn(first!, args, {
    // The first as `touchstone start` and `npm start` set it.
    env: { MALLOC_ARENA_MAX: '1', ...ownEnvironment(), NODE_ENV: 'production', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = collectOutput(child)
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  running.add(child)
  void exited.then(() => running.delete(child))

  await untilAnswering(options.answersAt ?? `${url}/ok`, child, output, options.timeoutMs ?? 60_000)
  return {
    url,
    dataDir,
    pid: child.pid!,
    output,
    residentBytes: () => residentBytesOf(child.pid!),
    exited,
    async stop() {
      child.kill('SIGTERM')
      const code = await exited
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true })
      return code
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** A new data folder, copied from the one that `open-once.ts` prepared, if any. */
async function freshDataDir(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-e2e-'))
  const template = process.env.TOUCHSTONE_E2E_TEMPLATE
  if (template !== undefined) await copyFolder(template, folder)
  return folder
}

/** A free port. */
export async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as { port: number }
  await new Promise((resolve) => probe.close(resolve))
  return port
}

async function untilAnswering(url: string, child: ChildProcess, output: () => string, timeoutMs: number) {
  const deadline = Date.now() + timeoutMs
  while (child.exitCode === null && child.signalCode === null && Date.now() < deadline) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  child.kill('SIGKILL')
  throw new Error(`The server did not answer within ${timeoutMs} ms (exit code ${child.exitCode}):\n${output()}`)
}

function collectOutput(child: ChildProcess): () => string {
  const chunks: Buffer[] = []
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk))
  return () => Buffer.concat(chunks).toString()
}

async function residentBytesOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
}

function ownEnvironment(): NodeJS.ProcessEnv {
  const foreign = /^(TOUCHSTONE|LANGSMITH|LANGCHAIN|VITEST|NODE_OPTIONS)/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)))
}

// When a test run is killed, its servers are killed too.
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

const main = fileURLToPath(new URL('../../packages/server/dist/main.cjs', import.meta.url))
