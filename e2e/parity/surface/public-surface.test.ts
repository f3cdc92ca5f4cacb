import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Client } from '@touchstone/sdk'
import { Client as PublicClient } from 'langsmith'
import { describe, expect, it } from 'vitest'
import { MISSING, STRICTER } from './differences.ts'

const require = createRequire(import.meta.url)

/** Names on a class and the classes above it. */
function membersOf(start: object): Set<string> {
  const names = new Set<string>()
  for (let one = start; one !== Object.prototype; one = Object.getPrototypeOf(one)) {
    for (const name of Object.getOwnPropertyNames(one)) names.add(name)
  }
  return names
}

/** What the declarations show to users, which nothing at run time tells. */
function declaredMembers(): Set<string> {
  const types = readFileSync(join(dirname(require.resolve('langsmith/client')), 'client.d.ts'), 'utf8')
  const found = types.matchAll(/^ {4}(?:static )?(?:get |set )?(\w+)[(<:;?]/gm)
  return new Set(Array.from(found, ([, name]) => name!))
}

describe('the public surface of the published client', () => {
  const declared = declaredMembers()
  const theirs = [...membersOf(PublicClient.prototype)].filter((name) => declared.has(name) && name !== 'constructor')
  const ours = membersOf(Client.prototype)

  it('is read as the whole of it', () => {
    expect(theirs.length).toBeGreaterThan(100)
    expect(theirs).toEqual(expect.arrayContaining(['createRun', 'pushPrompt', 'listAnnotationQueues', 'runs']))
  })

  it('is ours too, but for a short list with reasons', () => {
    const missing = theirs.filter((name) => !ours.has(name)).sort()
    // A field that is no method stands on no prototype.
    const methods = Object.keys(MISSING).filter((name) => name !== 'debug')
    expect(missing).toEqual(methods.sort())
  })

  it('has no reason for what is there, and none without words', () => {
    for (const [name, why] of Object.entries(MISSING)) {
      expect(ours.has(name), name).toBe(false)
      expect(why.length, name).toBeGreaterThan(10)
    }
    for (const name of Object.keys(STRICTER)) expect(ours.has(name), name).toBe(true)
  })

  it('takes methods for methods and values for values', () => {
    const kindOf = (prototype: object, name: string) => {
      for (let one = prototype; one !== Object.prototype; one = Object.getPrototypeOf(one)) {
        const found = Object.getOwnPropertyDescriptor(one, name)
        if (found) return typeof found.value === 'function' ? 'method' : 'value'
      }
      return 'nothing'
    }
    for (const name of theirs.filter((one) => ours.has(one))) {
      expect([name, kindOf(Client.prototype, name)]).toEqual([name, kindOf(PublicClient.prototype, name)])
    }
  })

  it('includes the static half', () => {
    const theirStatics = Object.getOwnPropertyNames(PublicClient).filter((name) => declared.has(name))
    const reserved = new Set(['length', 'name', 'prototype'])
    for (const name of theirStatics.filter((one) => !reserved.has(one) && !one.startsWith('_'))) {
      expect(Client).toHaveProperty(name)
    }
  })
})
