import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { VERSION } from './version.ts'

it('the version of the program is that of its package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  expect(VERSION).toBe(version)
})
