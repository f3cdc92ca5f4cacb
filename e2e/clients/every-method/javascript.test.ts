import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Client } from 'langsmith'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { aClient } from '../javascript/a-client.ts'
import { CALLS_OF_CLIENT } from './calls-of-client.ts'
import { CALLS_OF_RESOURCES, NOT_CALLED } from './calls-of-resources.ts'
import { makeWorld, type World } from './world.ts'

const folder = dirname(createRequire(import.meta.url).resolve('langsmith/client'))
const DECLARATIONS = readFileSync(join(folder, 'client.d.ts'), 'utf8').split('export declare class Client ')[1]!

/** Whether the declarations show a member to users; nothing at run time tells. */
function isDeclared(name: string): boolean {
  return new RegExp(`^ {4}(?:get )?${name}[(<:;]`, 'm').test(DECLARATIONS)
}

const RESOURCES = new Set(
  Object.entries(Object.getOwnPropertyDescriptors(Client.prototype))
    .filter(([name, { get }]) => get !== undefined && isDeclared(name) && name !== 'headers' && name !== 'tracingMode')
    .map(([name]) => name),
)

let server: SharedServer
let world: World
beforeAll(async () => {
  server = await shareServer()
  world = await makeWorld(aClient(server.url))
})
afterAll(() => server?.stop())

/** Public methods of the class, e.g. `readRun`. */
function methodsOfClient(): string[] {
  const names = Object.getOwnPropertyNames(Client.prototype).filter((name) => name !== 'constructor')
  return names.filter((name) => !name.startsWith('_') && !RESOURCES.has(name) && isDeclared(name))
}

/** Methods of the generated halves, e.g. `runs.share.create`; of what is not called at all, only the name. */
function methodsOfResources(): string[] {
  // A half asks for the version of the server as soon as it is read; a client without a server would warn minutes later.
  const { client } = world
  return [...RESOURCES].flatMap((name) => (name in NOT_CALLED ? [name] : methodsBelow(client[name as 'runs'], name)))
}

function methodsBelow(resource: object, path: string): string[] {
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(resource))
    .filter((name) => name !== 'constructor' && !name.startsWith('_'))
    .map((name) => `${path}.${name}`)
  const inner = Object.entries(resource).filter(([name, value]) => name !== '_client' && typeof value === 'object')
  return [...methods, ...inner.flatMap(([name, value]) => methodsBelow(value, `${path}.${name}`))]
}

describe('every public method of the published JavaScript client', () => {
  it('is called here, or has a reason why not', () => {
    expect(methodsOfClient().length).toBeGreaterThan(100)
    expect(methodsOfClient().sort()).toEqual(Object.keys(CALLS_OF_CLIENT).sort())
    const known = [...Object.keys(CALLS_OF_RESOURCES), ...Object.keys(NOT_CALLED)]
    expect(methodsOfResources().sort()).toEqual(known.sort())
  })

  // In this order, since the last calls of the client end it.
  it.each(Object.entries({ ...CALLS_OF_RESOURCES, ...CALLS_OF_CLIENT }))(
    '%s works without a warning',
    async (_, call) => {
      const spies = (['warn', 'error'] as const).map((level) => vi.spyOn(console, level).mockImplementation(() => {}))
      try {
        await call(world)
        await world.client.awaitPendingTraceBatches()
        const said = spies.flatMap((spy) => spy.mock.calls.map((words) => words.join(' ')))
        expect(said.filter((words) => !/deprecated/i.test(words))).toEqual([])
      } finally {
        for (const spy of spies) spy.mockRestore()
      }
    },
  )
})
