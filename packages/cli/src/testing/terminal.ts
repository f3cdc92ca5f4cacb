import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { shareServer } from '../../../../e2e/support/share-server.ts'
import { startServer } from '../../../../e2e/support/start-server.ts'

// The global setup of these tests has built both programs from today's sources.
const cli = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

export interface Ending {
  code: number | null
  /** Standard output and standard error. */
  stdout: string
  stderr: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read any printed JSON
  json(): any
}

interface Server {
  /** Without a trailing slash. */
  readonly url: string
  stop(): Promise<unknown>
}

/** A terminal that runs the built CLI against a built server. */
export class Terminal {
  readonly endpoint: string
  /** Removed when the terminal closes. */
  readonly folder = mkdtempSync(join(tmpdir(), 'touchstone-cli-'))

  private constructor(private readonly server: Server) {
    this.endpoint = server.url
  }

  /** In a new workspace on the server that the files of this worker share. */
  static async open(): Promise<Terminal> {
    return new Terminal(await shareServer())
  }

  /** With a server for this file alone: for keys, and for other workspaces. */
  static async openOwn(): Promise<Terminal> {
    return new Terminal(await startServer())
  }

  run(...args: string[]): Promise<Ending> {
    return this.runWithInput('', ...args)
  }

  /** Runs the CLI with a text as its standard input. */
  async runWithInput(input: string, ...args: string[]): Promise<Ending> {
    const child = spawn(process.execPath, [cli, ...args], {
      env: { ...process.env, TOUCHSTONE_ENDPOINT: this.endpoint, TOUCHSTONE_API_KEY: '' },
    })
    child.stdin.end(input)
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (chunk) => (stdout += chunk))
    child.stderr.on('data', (chunk) => (stderr += chunk))
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
    return { code, stdout, stderr, json: () => JSON.parse(stdout) }
  }

  async close(): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true })
    await this.server.stop()
  }
}
