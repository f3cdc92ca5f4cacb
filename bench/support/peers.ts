import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, startServer } from '../../e2e/support/start-server.ts'

/** A running server that takes OTLP. */
export interface Peer {
  readonly name: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly pid: number
  /** Kills every process of the server (SIGKILL), and counts the spans that its store then has. */
  killAndCount(): Promise<number>
}

/** Creates `.venv-peers` with the pinned servers once. @returns the folder of its programs */
export function installPeers(root: string): string {
  const folder = join(root, '.venv-peers')
  const programs = join(folder, 'bin')
  if (!existsSync(join(programs, 'mlflow'))) {
    console.log('Installing Phoenix and MLflow into .venv-peers (once, about 1.3 GB)')
    execFileSync('python3', ['-m', 'venv', folder])
    const packages = ['arize-phoenix==20.26.1', 'mlflow==3.17.2']
    execFileSync(join(programs, 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages])
  }
  return programs
}

export async function startTouchstone(dataDir: string, path: string): Promise<Peer> {
  const server = await startServer({ dataDir })
  return {
    name: 'Touchstone',
    url: server.url + path,
    headers: {},
    pid: server.pid,
    async killAndCount() {
      await server.kill()
      const again = await startServer({ dataDir })
      try {
        const answer = await fetch(`${again.url}/api/v1/runs/stats`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({}),
        })
        return ((await answer.json()) as { run_count: number }).run_count
      } finally {
        await again.stop()
      }
    },
  }
}

export async function startPhoenix(programs: string, dataDir: string): Promise<Peer> {
  const [port, grpcPort] = [await freePort(), await freePort()]
  const env = {
    PHOENIX_WORKING_DIR: dataDir,
    PHOENIX_HOST: '127.0.0.1',
    PHOENIX_PORT: String(port),
    PHOENIX_GRPC_PORT: String(grpcPort),
    PHOENIX_TELEMETRY_ENABLED: 'false',
  }
  const child = start(join(programs, 'phoenix'), ['serve'], env)
  await ready(`http://127.0.0.1:${port}/healthz`)
  return {
    name: 'Phoenix',
    url: `http://127.0.0.1:${port}/v1/traces`,
    headers: {},
    pid: child.pid!,
    killAndCount: () => killAndCount(child, programs, join(dataDir, 'phoenix.db')),
  }
}

export async function startMlflow(programs: string, dataDir: string): Promise<Peer> {
  const port = await freePort()
  const store = join(dataDir, 'mlflow.db')
  const args = ['server', '--host', '127.0.0.1', '--port', String(port), '--backend-store-uri', `sqlite:///${store}`]
  const child = start(join(programs, 'mlflow'), [...args, '--workers', '2'], { MLFLOW_DISABLE_TELEMETRY: 'true' })
  await ready(`http://127.0.0.1:${port}/health`)
  return {
    name: 'MLflow',
    url: `http://127.0.0.1:${port}/v1/traces`,
    headers: { 'x-mlflow-experiment-id': '0' },
    pid: child.pid!,
    killAndCount: () => killAndCount(child, programs, store),
  }
}

/** Resident bytes, and seconds of CPU time, of a process and its descendants; CPU time also of children that have ended. */
export function measureTree(pid: number): { readonly bytes: number; readonly cpuSeconds: number } {
  let bytes = 0
  let ticks = 0
  for (const one of listTree(pid)) {
    try {
      bytes += Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${one}/status`, 'utf8'))?.[1] ?? 0) * 1024
      const fields = readFileSync(`/proc/${one}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      ticks += fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    } catch {} // the process has just ended
  }
  return { bytes, cpuSeconds: ticks / 100 }
}

function listTree(pid: number): number[] {
  const parents = new Map<number, number>()
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    try {
      const fields = readFileSync(`/proc/${entry}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      parents.set(Number(entry), Number(fields[1]))
    } catch {} // the process has just ended
  }
  const tree = [pid]
  for (const one of tree) for (const [child, parent] of parents) if (parent === one) tree.push(child)
  return tree
}

function start(program: string, args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  return spawn(program, args, { env: { ...process.env, ...env }, stdio: 'ignore' })
}

async function ready(url: string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok) return
    await sleep(200)
  }
  throw new Error(`${url} did not answer within two minutes`)
}

async function killAndCount(child: ChildProcess, programs: string, store: string): Promise<number> {
  const exited = new Promise((resolve) => child.once('exit', resolve))
  for (const pid of listTree(child.pid!).reverse()) process.kill(pid, 'SIGKILL')
  await exited
  const script = `import sqlite3; print(sqlite3.connect(${JSON.stringify(store)}).execute('select count(*) from spans').fetchone()[0])`
  return Number(execFileSync(join(programs, 'python'), ['-c', script], { encoding: 'utf8' }))
}
