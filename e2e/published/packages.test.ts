import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { packPackages } from '../../scripts/steps/pack-packages.mjs'

/** An empty folder of a user, in which the packages are installed from their tarballs. */
const folder = mkdtempSync(join(tmpdir(), 'touchstone-published-'))
/** One in which the command line is installed alone. */
const other = mkdtempSync(join(tmpdir(), 'touchstone-cli-'))
const env = { PATH: process.env.PATH, HOME: process.env.HOME, TOUCHSTONE_DATA_DIR: join(folder, 'data') }

beforeAll(() => {
  const tarballs = packPackages(join(folder, 'tarballs')).map(({ path }) => path)
  const isCli = (path: string) => path.includes('touchstone-cli')
  install(
    folder,
    tarballs.filter((path) => !isCli(path)),
  )
  install(other, tarballs.filter(isCli))
}, 300_000)
afterAll(() => {
  for (const path of [folder, other]) rmSync(path, { recursive: true, force: true })
})

function install(to: string, tarballs: readonly string[]): void {
  writeFileSync(join(to, 'package.json'), '{}')
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', ...tarballs]
  execFileSync('npm', args, { cwd: to, stdio: ['ignore', 'ignore', 'inherit'] })
}

const run = (...args: string[]) => execFileSync(args[0]!, args.slice(1), { cwd: folder, env, encoding: 'utf8' })

describe('the packages, installed from their tarballs', () => {
  it('start a server with its web UI, receive a trace of the SDK, and show it by the command line', async () => {
    const server = spawn(join(folder, 'node_modules/.bin/touchstone'), ['--port', '0'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let printed = ''
    server.stdout.on('data', (chunk) => (printed += chunk))
    const ended = new Promise((resolve) => server.once('close', resolve))
    try {
      const url = await vi.waitFor(() => /ready at (\S+)/.exec(printed)![1]!, { timeout: 60_000, interval: 100 })
      const page = await (await fetch(url, { headers: { accept: 'text/html' } })).text()
      const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)![1]!
      expect((await fetch(url + script)).status).toBe(200)

      writeFileSync(
        join(folder, 'app.mjs'),
        `import { Client } from '@touchstone/sdk'
         import { traceable } from '@touchstone/sdk/traceable'
         const client = new Client({ apiUrl: '${url}/api/v1' })
         await traceable(async (name) => 'Hello ' + name, { name: 'greet', client, tracingEnabled: true })('Ada')
         await client.flush()`,
      )
      run(process.execPath, 'app.mjs')
      expect(run('npx', 'touchstone', 'runs', 'list', '--endpoint', url)).toContain('greet')
    } finally {
      server.kill('SIGTERM')
      await ended
    }
  })

  it('print help without a server', () => {
    expect(run('npx', 'touchstone', '--help')).toContain('runs list')
    expect(run('npx', 'touchstone', 'start', '--help')).toContain('--data-dir VALUE')
  })

  it('work without the server, too', () => {
    const alone = spawnSync('npx', ['touchstone', 'start'], { cwd: other, env, encoding: 'utf8' })
    expect(alone.status).toBe(1)
    expect(alone.stderr).toContain(
      'The server is not installed together with this CLI. Install the package `touchstone`',
    )
  })
})
