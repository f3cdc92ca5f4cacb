import { describe, expect, it } from 'vitest'
import { BodyBudget, BodyShare } from './request-lifecycle.ts'

const MB = 1024 * 1024
const KB = 1024

describe('the memory of request bodies', () => {
  it('leaves a part to other workspaces', () => {
    const budget = new BodyBudget(16 * MB)
    const share = (owner: string) => new BodyShare(budget, () => owner)
    const first = share('a')
    first.take(12 * MB)
    expect(() => share('a').take(MB)).toThrow('of this workspace')
    share('b').take(4 * MB)
    expect(() => share('c').take(MB)).toThrow('Too many bytes of requests are under way')
    first.release()
    share('a').take(11 * MB)
  })

  it('counts a request without a caller for the workspace that it is found to belong to', () => {
    const budget = new BodyBudget(16 * MB)
    const share = (owner: string) => {
      const made = new BodyShare(budget)
      made.belongTo(owner)
      return made
    }
    share('a').take(12 * MB)
    expect(() => share('a').take(MB)).toThrow('of this workspace')
    share('b').take(MB)
  })

  it('gives all of it to a single request', () => {
    const share = new BodyShare(new BodyBudget(16 * MB), () => 'a')
    for (let taken = 0; taken < 16; taken++) share.take(MB)
    expect(() => share.take(1)).toThrow('Too many bytes')
    share.give(MB)
    share.take(MB)
  })

  it('takes small requests while it is full of large ones, up to a number of bytes', () => {
    const budget = new BodyBudget(MB)
    new BodyShare(budget, () => 'a').take(MB)
    const small = [0, 1].map(() => new BodyShare(budget, () => 'a'))
    for (const one of small) one.take(64 * KB)
    expect(() => new BodyShare(budget, () => 'b').take(KB)).toThrow('Too many bytes')
    expect(() => small[0]?.take(KB)).toThrow('Too many bytes')
    for (const one of small) one.release()
    new BodyShare(budget, () => 'b').take(KB)
  })
})
