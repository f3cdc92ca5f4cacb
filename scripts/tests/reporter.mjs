import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { root } from '../steps/root.mjs'

const DEAD = 'The file did not end: its worker has died.'

/** Lines of a failure's message that the report keeps. */
const MESSAGE_LINES = 40

/**
 * A reporter of Vitest that writes the report which the end of a test run is made of: a row per file and project, with
 * its time, its counts and its failures. Vitest's own JSON has neither the project nor the time of hooks and imports.
 *
 * @implements {import('vitest/node').Reporter}
 */
export default class ReportWriter {
  #started = Date.now()
  #beganAt = new Map()
  #endedAt = new Map()

  onTestRunStart() {
    this.#started = Date.now()
  }

  onTestModuleStart(module) {
    this.#beganAt.set(module.id, Date.now())
  }

  onTestModuleEnd(module) {
    this.#endedAt.set(module.id, Date.now())
  }

  onTestRunEnd(modules, errors) {
    const files = modules.map((module) => this.#describe(module))
    // A worker that dies is reported as an error outside of any file, and its file as one that did not end.
    const dead = files.find(({ failures }) => failures.some(({ message }) => message === DEAD))
    const outside = errors.filter((error) => {
      const file = files.find(({ path }) => path === toPath(error.VITEST_TEST_PATH)) ?? dead
      file?.failures.push({ message: toMessage(error) })
      return file === undefined
    })
    /** @type {import('./report.mjs').Report} */
    const report = { seconds: (Date.now() - this.#started) / 1000, files, errors: outside.map(toMessage) }
    writeFileSync(process.env.TOUCHSTONE_TEST_REPORT ?? '.cache/test-report.json', JSON.stringify(report))
  }

  #describe(module) {
    const times = module.diagnostic()
    const ms = ['environmentSetupDuration', 'prepareDuration', 'collectDuration', 'setupDuration', 'duration']
    const tests = [...module.children.allTests()].map((test) => ({ name: test.fullName, result: test.result() }))
    const count = (state) => tests.filter(({ result }) => result.state === state).length
    const failures = tests
      .filter(({ result }) => result.state === 'failed')
      .map(({ name, result }) => ({ test: name, message: toMessage(result.errors[0]) }))
    const outside = [...module.errors(), ...[...module.children.allSuites()].flatMap((suite) => [...suite.errors()])]
    // A file whose worker died has tests that never ran, and no error of its own.
    const isComplete = this.#endedAt.has(module.id) && count('pending') === 0
    return {
      path: toPath(module.moduleId),
      project: module.project.name,
      seconds: ms.reduce((sum, name) => sum + times[name], 0) / 1000,
      beganAt: this.#beganAt.get(module.id) ?? null,
      endedAt: this.#endedAt.get(module.id) ?? null,
      statements: module.meta().statements ?? null,
      compared: module.meta().compared ?? 0,
      passed: count('passed'),
      failed: count('failed'),
      skipped: count('skipped'),
      failures: [
        ...failures,
        ...outside.map((error) => ({ message: toMessage(error) })),
        ...(isComplete ? [] : [{ message: DEAD }]),
      ],
    }
  }
}

const toPath = (id) => (id === undefined ? undefined : relative(root, id))

/** The stack of a time-out does not have its message. */
function toMessage(error) {
  const { message = String(error), stack = '' } = error ?? {}
  const text = stack.includes(message) ? stack : `${message}\n${stack}`
  return text.split('\n').slice(0, MESSAGE_LINES).join('\n')
}
