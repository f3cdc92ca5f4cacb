import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installDebian } from './install-debian.mjs'
import { printProgress } from './output.mjs'
import { reportMissing } from './report-missing.mjs'
import { readCommand, runCommand } from './run-command.mjs'

/**
 * Starts a temporary PostgreSQL cluster for the engine tests: its own folder, no password, removed afterwards. A URL
 * that is already set is used instead.
 *
 * @returns `env` for the tests, `stop`, and `pid` of a cluster that was started
 */
export function preparePostgres() {
  if (process.env.TOUCHSTONE_TEST_POSTGRES_URL) return { env: {}, stop() {} }
  const programs = findPrograms() ?? (installDebian('postgresql') ? findPrograms() : undefined)
  const cluster = programs && startCluster(programs)
  if (cluster) return cluster
  reportMissing('No PostgreSQL was found or could be started: its engine tests are skipped.')
  return { env: {}, stop() {} }
}

function findPrograms() {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => +b - +a) : []
  const folders = [...versions.map((version) => join(debian, version, 'bin')), readCommand('pg_config', ['--bindir'])]
  return folders.find((folder) => folder && existsSync(join(folder, 'initdb')))
}

function startCluster(programs) {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-postgres-'))
  const owner = unprivilegedOwner()
  if (owner) chownSync(folder, owner.uid, owner.gid)
  const port = String(20_000 + (process.pid % 10_000))
  const data = join(folder, 'data')
  const call = (program, ...args) =>
    runCommand(join(programs, program), args, { ...owner, cwd: folder, stdio: ['ignore', 'ignore', 2] })
  const settings = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c max_connections=200`

  const stop = () => {
    call('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop')
    rmSync(folder, { recursive: true, force: true })
  }
  const started =
    call('initdb', '-D', data, '-U', 'touchstone', '-A', 'trust', '-E', 'UTF8', '--no-sync') === 0 &&
    call('pg_ctl', '-D', data, '-l', join(folder, 'log'), '-o', settings, '-w', 'start') === 0
  if (!started) {
    rmSync(folder, { recursive: true, force: true })
    return undefined
  }
  printProgress(`PostgreSQL for the engine tests is listening on port ${port}`)
  // Stops PostgreSQL when the run is interrupted or killed.
  process.on('exit', stop)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130))
  return {
    env: { TOUCHSTONE_TEST_POSTGRES_URL: `postgres://touchstone@127.0.0.1:${port}/postgres` },
    pid: Number.parseInt(readFileSync(join(data, 'postmaster.pid'), 'utf8'), 10),
    stop() {
      process.off('exit', stop)
      stop()
    },
  }
}

/** PostgreSQL refuses to run as root, so root starts it as another user. */
function unprivilegedOwner() {
  if (process.getuid?.() !== 0) return undefined
  const name = readCommand('id', ['-u', 'postgres']) ? 'postgres' : 'nobody'
  return { uid: Number(readCommand('id', ['-u', name])), gid: Number(readCommand('id', ['-g', name])) }
}
