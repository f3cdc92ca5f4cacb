import * as routes from '@touchstone/contract/routes'
import { describe, expect, it } from 'vitest'
import { toPath } from '../transport/request.ts'
import { parsePromptIdentifier, toRepoParams } from './identifier.ts'

describe('the identifier of a prompt', () => {
  it.each([
    ['p', '-', 'p', 'latest'],
    ['o/p', 'o', 'p', 'latest'],
    ['-/p', '-', 'p', 'latest'],
    ['p:abc12345', '-', 'p', 'abc12345'],
    ['o/p:prod', 'o', 'p', 'prod'],
    ['p:', '-', 'p', 'latest'],
    ['o/p:', 'o', 'p', 'latest'],
    ['p:latest', '-', 'p', 'latest'],
  ])('reads %j', (identifier, owner, name, commit) => {
    expect(parsePromptIdentifier(identifier)).toEqual({ owner, name, commit })
  })

  it.each([
    '',
    '/',
    '/p',
    'o/',
    'o/p/',
    'o//p',
    'o/p/x',
    'p:a/b/c',
    'o/p:a/b',
    ':',
    ':abc',
    'o/:abc',
    'p:a:b',
    'o/p:a:b',
    '..',
    '../settings',
    'p:..',
    '.',
  ])('refuses %j', (identifier) => {
    expect(() => parsePromptIdentifier(identifier)).toThrow(
      new Error(
        `Invalid prompt identifier format: "${identifier}". Expected one of:\n` +
          '  - "prompt-name" (for private prompts)\n' +
          '  - "owner/prompt-name" (for prompts with explicit owner)\n' +
          '  - "prompt-name:commit-hash" (with commit reference)\n' +
          '  - "owner/prompt-name:commit-hash" (with owner and commit)',
      ),
    )
  })

  it('is no name for what is no text', () => {
    expect(() => parsePromptIdentifier(undefined as never)).toThrow('Invalid prompt identifier format: "undefined".')
  })

  it('cannot leave its place in a path', () => {
    const params = toRepoParams(parsePromptIdentifier('o?x=1/p#%2e%2e'))
    expect(toPath(routes.prompts.read, params)).toBe('/repos/o%3Fx%3D1/p%23%252e%252e')
  })
})
