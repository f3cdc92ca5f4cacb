import { beforeEach, describe, expect, it, vi } from 'vitest'
import { codeFailure, codeRetries, isCausedByCode, noteCodeFailure, retryCode } from './code-failure.ts'

beforeEach(() => codeFailure.write(undefined))

const isUp = () => Promise.resolve(true)
const isDown = () => Promise.resolve(false)

describe('code that cannot be loaded', () => {
  it('is gone after an update, but not while the server is down', async () => {
    expect(await noteCodeFailure(isUp)).toBe('gone')
    expect(await noteCodeFailure(isDown)).toBe('unreachable')
    expect(codeFailure.read()?.why).toBe('unreachable')
  })

  it('is unexplained until the server was asked', async () => {
    const noted = noteCodeFailure(isUp)
    expect(codeFailure.read()?.why).toBe('checking')
    await noted
  })

  it('explains errors right after it only', async () => {
    expect(isCausedByCode()).toBe(false)
    await noteCodeFailure(isDown, 1_000)
    expect(isCausedByCode(1_500)).toBe(true)
    expect(isCausedByCode(60_000)).toBe(false)
  })

  it('is loaded again when the server answers', async () => {
    const before = codeRetries.read()
    const reload = vi.fn(() => Promise.resolve())
    await retryCode(reload)
    expect(reload).not.toHaveBeenCalled()
    await noteCodeFailure(isDown)
    await retryCode(reload)
    expect(reload).toHaveBeenCalledOnce()
    expect(codeRetries.read()).toBe(before + 1)
    expect(codeFailure.read()).toBeUndefined()
  })

  it('stays failed if it fails again', async () => {
    await noteCodeFailure(isDown)
    await retryCode(() => noteCodeFailure(isUp))
    expect(codeFailure.read()?.why).toBe('gone')
  })
})
