import { afterAll, describe, expect, it } from 'vitest'
import { JavascriptSandbox } from './javascript-sandbox.ts'

const sandbox = new JavascriptSandbox()
afterAll(() => sandbox.close())

const ROW = { inputs: { question: 'Is it?' }, outputs: { answer: 'Yes' }, reference_outputs: null, run: null }

/** A program of a workspace. */
const own = (workspace: string, program = 'p') => ({ workspace, program })
// A program that ends by another limit reaches it in time on a busy machine too.
const run = (source: string, { timeoutMs = 20_000, owner = 'acme', row = ROW as unknown } = {}) =>
  sandbox.run(own(owner), { source, row: JSON.stringify(row), timeoutMs })
/** The body of `evaluate`. */
const evaluate = (body: string, options?: Parameters<typeof run>[1]) =>
  run(`function evaluate({ inputs, outputs, reference_outputs, run }) {\n${body}\n}`, options)
const failure = (code: string, message: RegExp | string, line: unknown = expect.anything()) => ({
  failure: { code, message: typeof message === 'string' ? message : expect.stringMatching(message), line },
})
const ofAnyLine = (code: string, message: RegExp) => ({
  failure: expect.objectContaining({ code, message: expect.stringMatching(message) }),
})

describe('a program in the sandbox', () => {
  it.each([
    ['a function', 'function evaluate({ outputs }) { return outputs.answer.length }', '3'],
    ['an arrow function', 'const evaluate = ({ inputs }) => inputs.question.length > 3', 'true'],
    ['an async function', 'async function evaluate() { await null; return { score: 0.5 } }', '{"score":0.5}'],
    ['a promise', 'const evaluate = () => Promise.resolve(1).then((one) => one + 1)', '2'],
    ['a list', 'const evaluate = () => [{ key: "a", score: 1 }]', '[{"key":"a","score":1}]'],
    ['console calls', 'const evaluate = () => { console.log("x"); return 1 }', '1'],
    ['non-ASCII text', 'const evaluate = () => "Zürich 🙂"', '"Zürich 🙂"'],
  ])('returns the result of %s', async (_name, source, result) => {
    expect(await run(source)).toEqual({ result })
  })

  it.each([
    ['a loop', 'for (;;);'],
    ['a loop that catches everything', 'for (;;) { try { for (;;); } catch {} }'],
    ['a loop of awaits', 'return (async () => { for (;;) await null })()'],
    ['a loop of promises', 'const next = () => Promise.resolve().then(next); return next()'],
    ['a slow regular expression', 'return /^(a+)+$/.test("a".repeat(50) + "b")'],
    ['a loop while it is printed', 'return { get score() { for (;;); } }'],
    ['a loop of long steps', 'const text = "x".repeat(5e6); for (;;) text.indexOf("y")'],
  ])('is ended in %s', async (_name, body) => {
    expect(await evaluate(body, { timeoutMs: 200 })).toEqual(failure('timeout', 'It ran longer than 200 ms.', null))
  })

  it.each([
    ['many lists', 'const all = []; for (;;) all.push(new Array(1000).fill(1))'],
    ['long texts', 'const all = []; for (;;) all.push("x".repeat(1e6) + all.length)'],
    ['a buffer', 'return new Uint8Array(1e9).length'],
    ['a map', 'const map = new Map(); for (let at = 0; ; at++) map.set("key" + at, { at })'],
  ])('cannot take more memory than its limit with %s', async (_name, body) => {
    expect(await evaluate(body)).toEqual(ofAnyLine('memory', /more than 64 MB/))
    expect(await evaluate('return 1')).toEqual({ result: '1' })
  })

  it('cannot return more than a million characters', async () => {
    expect(await evaluate('return "x".repeat(1e6)')).toEqual(failure('too_large', /1000000 characters/, null))
    expect(await evaluate('return "x".repeat(9e5)')).toEqual({ result: JSON.stringify('x'.repeat(9e5)) })
  })

  it.each([
    ['functions', 'const next = () => 1 + next(); return next()'],
    ['lists', 'let list = []; for (let at = 0; at < 1e5; at++) list = [list]; return list'],
    ['brackets', 'return eval("(".repeat(1e5))'],
    ['JSON', 'return JSON.parse("[".repeat(1e6))'],
    ['promises', 'const next = async (at) => await next(at + 1); return next(0)'],
  ])('cannot overflow the stack with nested %s', async (_name, body) => {
    const outcome = await evaluate(body)
    expect(outcome).toEqual(ofAnyLine('javascript', /stack|more than 64 MB/i))
    expect(await evaluate('return 1')).toEqual({ result: '1' })
  })

  it('has no access to the process, modules, network, files and timers', async () => {
    const names = [
      'process',
      'require',
      'module',
      'global',
      'fetch',
      'XMLHttpRequest',
      'WebSocket',
      'setTimeout',
      'setImmediate',
      'queueMicrotask',
      'Buffer',
      'WebAssembly',
      'Worker',
      'Deno',
      'Bun',
      'std',
      'os',
      'navigator',
      'document',
      'parentPort',
    ]
    const found = await evaluate(`return [${names.map((name) => `typeof ${name}`).join(', ')}]`)
    expect(found).toEqual({ result: JSON.stringify(names.map(() => 'undefined')) })
    const escaped = await evaluate(`return [
      evaluate.constructor('return typeof process')(),
      (async () => {}).constructor('return typeof process').name,
      Object.getOwnPropertyNames(globalThis).filter((name) => /^(qts|host|__)/i.test(name)),
    ]`)
    expect(escaped).toEqual({ result: '["undefined","anonymous",[]]' })
  })

  it.each(['fs', 'node:child_process', './javascript-sandbox.ts', 'https://evil.test/x.js', 'data:text/javascript,1'])(
    'cannot import %s',
    async (name) => {
      const source = `async function evaluate() { return Object.keys(await import(${JSON.stringify(name)})) }`
      expect(await run(source)).toEqual(ofAnyLine('javascript', /could not load module/))
      expect(await run(`import * as it from ${JSON.stringify(name)}\nconst evaluate = () => 1`)).toEqual(
        ofAnyLine('javascript', /could not load module|SyntaxError/),
      )
    },
  )

  it('changes only its own values when it replaces what programs share', async () => {
    const poison = `
      Object.prototype.toJSON = () => 'poisoned'
      Array.prototype.toJSON = () => 'poisoned'
      Object.prototype.failure = { code: 'poisoned' }
      JSON.stringify = () => '{"poisoned":true}'
      JSON.parse = () => ({ poisoned: true })
      globalThis.poisoned = true
      Error.prototype.toString = () => { throw 1 }
      String.prototype.slice = () => { throw 1 }
      Promise.prototype.then = () => { throw 1 }`
    expect(await run(`${poison}\nfunction evaluate() { return { score: 1 } }`)).toEqual({ result: '"poisoned"' })
    expect(await run(`${poison}\nfunction evaluate() { throw new Error('no') }`)).toEqual(
      ofAnyLine('javascript', /no|cannot be shown/),
    )
    expect(await evaluate('return [typeof poisoned, JSON.stringify({ a: 1 })]')).toEqual({
      result: '["undefined","{\\"a\\":1}"]',
    })
  })

  it('keeps nothing for the next run', async () => {
    const source = 'globalThis.count = (globalThis.count ?? 0) + 1\nconst evaluate = () => count'
    for (const owner of ['acme', 'acme', 'other']) expect(await run(source, { owner })).toEqual({ result: '1' })
  })

  it.each([
    ['of the program', '\n\nfunction evaluate() {\n  null.answer\n}', /TypeError: cannot read property 'answer'/, 4],
    ['after an await', 'async function evaluate() {\n  await null\n  throw new Error("late")\n}', /Error: late/, 3],
    ['while it loads', 'const a = 1\nmissing()\n', /ReferenceError: 'missing' is not defined|missing/, 2],
    ['of syntax', 'function evaluate() {\n  return (\n}', /SyntaxError/, 3],
  ])('reports an error %s with its line', async (_name, source, message, line) => {
    expect(await run(source)).toEqual(failure('javascript', message, line))
  })

  it.each([
    ['a text', 'throw "text"', /threw "text"/],
    ['nothing', 'throw undefined', /threw undefined/],
    ['a value that cannot be shown', 'throw { toJSON() { throw 1 }, toString() { throw 2 } }', /cannot be shown/],
    ['a long message', 'throw new Error("x".repeat(1e6))', /^Error: x{1,2000}$/],
    ['a promise that is never settled', 'return new Promise(() => {})', /never settled/],
    ['a rejected promise', 'return Promise.reject(new Error("no"))', /Error: no/],
  ])('reports %s', async (_name, body, message) => {
    expect(await evaluate(body)).toEqual(ofAnyLine('javascript', message))
  })

  it('reports a source without evaluate', async () => {
    for (const source of ['', 'const other = 1', 'const evaluate = 1']) {
      expect(await run(source)).toEqual(failure('javascript', /no function "evaluate"/, null))
    }
  })

  it.each([
    ['nothing', '', /returned nothing/],
    ['NaN', 'return NaN', /NaN, not a finite number/],
    ['an infinite score', 'return { score: 1 / 0 }', /"score" is Infinity/],
    ['a function', 'return { score: () => 1 }', /"score" is a function/],
    ['a symbol', 'return Symbol("x")', /is a symbol/],
    ['a big integer', 'return 1n', /is a bigint/],
    ['a cycle', 'const one = {}; one.one = one; return one', /circular/],
    ['a getter that throws', 'return { get score() { throw new Error("no") } }', /no/],
    ['a proxy that throws', 'return new Proxy({}, { ownKeys() { throw 1 } })', /cannot be written/],
  ])('reports a result that JSON cannot hold: %s', async (_name, body, message) => {
    expect(await evaluate(body)).toEqual(failure('invalid_result', message, null))
  })
})

describe('the sandbox', () => {
  it('leaves the event loop free while a program loops', async () => {
    let turns = 0
    const clock = setInterval(() => turns++, 5)
    await evaluate('for (;;);', { timeoutMs: 400 })
    clearInterval(clock)
    expect(turns).toBeGreaterThan(5)
  })

  it('lets owners take turns', async () => {
    const order: string[] = []
    const add = (owner: string) => evaluate('return 1', { owner }).then(() => order.push(owner))
    await Promise.all([...Array.from({ length: 6 }, () => add('busy')), add('short')])
    expect(order.indexOf('short')).toBeLessThan(3)
  })

  it('lets workspaces take turns, however many programs they have, and then their programs', async () => {
    const order: string[] = []
    const given = { source: 'const evaluate = () => 1', row: '{}', timeoutMs: 1000 }
    const add = (workspace: string, program: string) =>
      sandbox.run(own(workspace, program), given).then(() => order.push(`${workspace}${program}`))
    const runs = ['p', 'p', 'q', 'r', 's'].map((program) => add('many ', program))
    await Promise.all([...runs, add('one ', 'x'), add('one ', 'x')])
    // The first has begun before the others came.
    expect(order).toEqual(['many p', 'many p', 'one x', 'many q', 'one x', 'many r', 'many s'])
  })

  it('lets no workspace take all the places of those that wait', async () => {
    const full = new JavascriptSandbox()
    const given = { source: 'const evaluate = () => 1', row: '{}', timeoutMs: 1000 }
    const all = Promise.allSettled(Array.from({ length: 2_501 }, () => full.run(own('many'), given)))
    expect(await full.run(own('many'), given)).toMatchObject({
      failure: { message: expect.stringContaining('2500 runs of this workspace') },
    })
    const other = full.run(own('one'), given)
    expect(await other).toEqual({ result: '1' })
    await full.close()
    await all
  })

  it('lets a workspace in when others have taken all the places', async () => {
    const full = new JavascriptSandbox()
    const given = { source: 'const evaluate = () => 1', row: '{}', timeoutMs: 1000 }
    const fill = (workspace: string, runs: number) =>
      Array.from({ length: runs }, () => full.run(own(workspace), given))
    const all = Promise.allSettled([...fill('many', 2_501), ...fill('more', 2_500)])
    const others = fill('one', 101)
    const ended = Promise.allSettled(others)
    expect(await others.at(-1)).toMatchObject({
      failure: { message: expect.stringContaining('5000 runs wait already') },
    })
    expect(await others[0]).toEqual({ result: '1' })
    await full.close()
    await Promise.all([all, ended])
  })

  it('runs a thousand rows', async () => {
    await evaluate('return 1')
    const rows = Array.from({ length: 1000 }, () =>
      evaluate('return { key: "length", score: outputs.answer.length, comment: inputs.question }'),
    )
    const outcomes = await Promise.all(rows)
    expect(outcomes.every((outcome) => 'result' in outcome)).toBe(true)
  })

  it('ends the waiting of runs that are cancelled, and runs the others', async () => {
    const cancelled = new AbortController()
    const given = { source: 'const evaluate = () => 1', row: '{}', timeoutMs: 1000 }
    const runs = ['busy', 'busy', 'short'].map((owner) => sandbox.run(own(owner), given, cancelled.signal))
    const other = sandbox.run(own('busy'), given)
    cancelled.abort()
    const ended = Array.from({ length: 3 }, () => ofAnyLine('cancelled', /the request ended/))
    expect(await Promise.all([...runs, sandbox.run(own('busy'), given, cancelled.signal)])).toEqual([
      ...ended,
      ended[0],
    ])
    expect(await other).toEqual({ result: '1' })
  })

  it('rejects what has not ended when it is closed', async () => {
    const closing = new JavascriptSandbox()
    const given = { source: 'const evaluate = () => 1', row: '{}', timeoutMs: 1000 }
    const waiting = [closing.run(own('a'), given), closing.run(own('a'), given)]
    const ended = Promise.allSettled(waiting)
    await closing.close()
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await expect(closing.run(own('a'), given)).rejects.toThrow('The server stops.')
  })
})
