import { describe, expect, it } from 'vitest'
import { WAITING } from './answers.ts'
import { EMPTY_STATE, type PlaygroundState } from './controller.ts'
import { findDraftProblem, findImageSpace, fromDraftBody, MAX_DRAFT, MAX_IMAGES, toDraftBody } from './draft.ts'
import { newVariant, type Variant } from './variant.ts'

const image = (length: number, mark = 'A') => `data:image/png;base64,${mark.repeat(length)}`
const withImage = (url: string, key = '1'): Variant =>
  newVariant(key, { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] })
const reload = (body: unknown) => fromDraftBody(JSON.parse(JSON.stringify(body)) as Record<string, unknown>)

const aState = (variants: readonly Variant[], more: Partial<PlaygroundState> = {}): PlaygroundState => ({
  ...EMPTY_STATE,
  variants,
  ...more,
})

describe('a draft', () => {
  it('has an image once, although variants, runs and values have copies', () => {
    const url = image(100_000)
    const variants = ['1', '2', '3'].map((key) => withImage(url, key))
    const run = {
      id: 1,
      startedAt: '2026-01-01T00:00:00Z',
      variant: withImage(url),
      values: { url },
      answers: [WAITING],
    }
    const state = aState(variants, { values: { url }, runs: { 1: [run] } })
    const body = toDraftBody(state)
    expect(JSON.stringify(body).length).toBeLessThan(110_000)
    expect(reload(body)).toEqual({ ...state, runs: { 1: [{ ...run, answers: [{ ...WAITING, status: 'stopped' }] }] } })
  })

  it('keeps a text that only looks like the reference of an image', () => {
    const state = aState([withImage(image(2_000))], { values: { a: 'draft-image:7', b: 'data:short' } })
    expect(reload(toDraftBody(state))?.values).toEqual(state.values)
  })

  it('of the version before has its images in place', () => {
    const { variants } = aState([withImage(image(2_000))])
    expect(reload({ version: 1, variants, values: {}, repeats: 2, runs: {} })).toMatchObject({ variants, repeats: 2 })
    expect(fromDraftBody({ version: 3, variants })).toBeUndefined()
  })

  it('that is too long for the server names what makes it long', () => {
    expect(findDraftProblem(toDraftBody(aState([withImage(image(1_000_000))])))).toBeUndefined()
    const images = toDraftBody(aState([withImage(image(3_000_000)), withImage(image(3_000_000, 'B'), '2')]))
    expect(findDraftProblem(images)).toContain('remove images, which have 6.0 MB')
    const text = toDraftBody(
      aState([newVariant('1', { messages: [{ role: 'user', content: 'x'.repeat(MAX_DRAFT) }] })]),
    )
    expect(findDraftProblem(text)).toContain('shorten messages')
  })

  it('has space for images up to a limit, and counts copies once', () => {
    const url = image(1_000_000)
    expect(findImageSpace(aState([withImage(url)]))).toBe(MAX_IMAGES - url.length)
    expect(findImageSpace(aState([withImage(url), withImage(url, '2')]))).toBe(MAX_IMAGES - url.length)
    expect(findImageSpace(aState([withImage(image(5_000_000))]))).toBe(0)
  })
})
