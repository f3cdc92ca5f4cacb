import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { installPackages } from './steps/install-packages.mjs'
import { fail, printProgress } from './steps/output.mjs'
import { root } from './steps/root.mjs'

// npm run dev: the server from its sources, restarted when they change, with demo data, and the UI with hot reload.
installPackages()
const port = process.env.PORT ?? '3000'
const server = `http://127.0.0.1:${port}`
const data = join(root, '.touchstone')
const sources = ['--conditions=touchstone:source', '--import=tsx']

const children = [
  startNode([
    bin('tsx/dist/cli.mjs'),
    'watch',
    sources[0],
    'packages/server/src/main.cts',
    '--port',
    port,
    '--data-dir',
    data,
  ]),
]
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => end(0))

await untilAnswering()
await seedOnce()
children.push(startNode([bin('vite/bin/vite.js'), 'packages/web'], { TOUCHSTONE_SERVER: server }))

/** Starts Node directly, because npx does not pass signals on. */
function startNode(args, env = {}) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } })
  child.once('exit', (code) => end(code ?? 1))
  return child
}

/** When one process ends, all end. */
function end(code) {
  for (const child of children) child.kill('SIGTERM')
  process.exitCode = code
}

function bin(path) {
  return join(root, 'node_modules', path)
}

async function untilAnswering() {
  const deadline = Date.now() + 60_000
  while (!(await fetch(`${server}/ok`).catch(() => undefined))?.ok) {
    if (Date.now() > deadline) fail(`The server does not answer at ${server}.`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

async function seedOnce() {
  const projects = await (await fetch(`${server}/api/v1/sessions?name=docs-assistant`)).json()
  if (projects.length > 0) return
  printProgress('Adding a day of demo traces')
  await new Promise((resolve) => {
    spawn(process.execPath, [...sources, 'scripts/seed/demo.ts', server], { cwd: root, stdio: 'inherit' }).once(
      'exit',
      resolve,
    )
  })
}
