import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from './root.mjs'

/**
 * Runs a command to its end with the terminal's own input and output.
 *
 * @returns exit code; 128 + signal number is folded to 1
 */
export function runCommand(command, args, options = {}) {
  const done = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options })
  if (done.error) return 127
  return done.status ?? 1
}

/** Runs a program of an installed package, straight and not through npx, which costs half a second and hides signals. */
export function runTool(name, args, options = {}) {
  const isWindows = process.platform === 'win32'
  return runCommand(join(root, 'node_modules/.bin', name), args, { shell: isWindows, ...options })
}

/** Output of a command, trimmed, or `undefined` when it is missing or fails. */
export function readCommand(command, args, options = {}) {
  const done = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    ...options,
  })
  return done.status === 0 ? done.stdout.trim() : undefined
}

/**
 * Stays with a child process until it ends: signals are passed on and its exit code becomes ours.
 * A terminal's Ctrl-C reaches the child by itself; passing it on would count as a second, impatient one.
 */
export function becomeCommand(command, args, options = {}) {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options })
  const pass = (signal) => child.kill(signal)
  process.on('SIGTERM', pass)
  process.on('SIGHUP', pass)
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
  if (process.env.npm_lifecycle_event !== undefined) endWithParent(() => child.kill('SIGTERM'))
  child.on('error', (cause) => {
    console.error(cause.message)
    process.exit(127)
  })
  child.on('exit', (code, signal) => {
    process.off('SIGTERM', pass)
    if (signal) process.kill(process.pid, signal)
    else process.exit(code ?? 1)
  })
  return child
}

/**
 * npm runs us below a shell that dies of a signal without passing it on, which would leave the server running after
 * `npm start` was told to end. Losing that parent is the signal.
 */
function endWithParent(end) {
  const parent = process.ppid
  setInterval(() => process.ppid === parent || end(), 500).unref()
}
