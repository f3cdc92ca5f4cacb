import { describe, expect, it } from 'vitest'
import { toPromptPath } from './prompt-key.ts'
import { parseDiff, toPromptOrder } from './search.ts'

describe('an address that a client prints', () => {
  it.each([
    ['/prompts', '/prompts'],
    ['/prompts/', '/prompts'],
    ['/prompts/joke', '/prompts/-/joke'],
    ['/prompts/joke/3f1c0b7d', '/prompts/-/joke/3f1c0b7d'],
    ['/prompts/joke/latest', '/prompts/-/joke/latest'],
    ['/prompts/joke:prod', '/prompts/-/joke/prod'],
    ['/hub', '/prompts?view=hub'],
    ['/hub/acme', '/prompts?view=hub'],
    ['/hub/acme/joke', '/prompts/acme/joke'],
    ['/hub/acme/joke/3f1c0b7d', '/prompts/acme/joke/3f1c0b7d'],
    ['/hub/acme/joke:3f1c0b7d', '/prompts/acme/joke/3f1c0b7d'],
    ['/hub/acme/joke%3Alatest', '/prompts/acme/joke/latest'],
    ['/hub/-/joke', '/prompts/-/joke'],
    ['/context/agent/3f1c0b7d', '/prompts/-/agent/3f1c0b7d'],
    ['/prompts/%E0%A4/%2F..', '/prompts/-/%25E0%25A4/%2F..'],
  ])('%s leads to %s', (pathname, path) => {
    expect(toPromptPath(pathname)).toBe(path)
  })
})

describe('search params of prompts', () => {
  it.each([
    ['a1b2..c3d4', { from: 'a1b2', to: 'c3d4' }],
    ['v1.0..v1.1', { from: 'v1.0', to: 'v1.1' }],
    ['nothing', undefined],
    ['..c3d4', undefined],
    [undefined, undefined],
  ])('%s are two commits', (diff, expected) => {
    expect(parseDiff(diff)).toEqual(expected)
  })

  it.each([
    ['-num_likes', { sortField: 'num_likes', sortDirection: 'desc' }],
    ['num_views', { sortField: 'num_views', sortDirection: 'asc' }],
    ['-constructor', { sortField: 'updated_at', sortDirection: 'desc' }],
  ])('%s is an order', (sort, expected) => {
    expect(toPromptOrder(sort)).toEqual(expected)
  })
})
