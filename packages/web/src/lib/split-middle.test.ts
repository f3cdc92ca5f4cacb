import { expect, it } from 'vitest'
import { splitMiddle } from './split-middle.ts'

it('splits only long names, and never a character', () => {
  expect(splitMiddle('support-bot')).toBeUndefined()
  expect(splitMiddle(`${'a'.repeat(60)}-production`)).toEqual({ head: 'a'.repeat(59), tail: 'a-production' })
  expect(splitMiddle('🙂'.repeat(40))?.tail).toBe('🙂'.repeat(12))
})
