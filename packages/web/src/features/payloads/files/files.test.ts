import { describe, expect, it } from 'vitest'
import { decodeBeginning, findFileLanguage, isTextType } from './files.ts'

describe('text attachments', () => {
  it.each([
    ['text/plain', 'notes'],
    ['text/csv; charset=utf-8', 'rows.csv'],
    ['application/json', 'a'],
    ['application/vnd.api+json', 'a'],
    ['application/octet-stream', 'server.log'],
    ['', 'main.py'],
  ])('are recognized by type or name: %s %s', (mime, name) => expect(isTextType(mime, name)).toBe(true))

  it.each([
    ['image/svg', 'a.txt'],
    ['application/pdf', 'a.pdf'],
    ['application/octet-stream', 'model.bin'],
    ['', 'notes'],
  ])('are not everything: %s %s', (mime, name) => expect(isTextType(mime, name)).toBe(false))

  it.each([
    ['text/plain', 'main.py', 'python'],
    ['text/x-python', 'main', 'python'],
    ['application/ld+json', 'a', 'json'],
    ['text/plain', 'notes.txt', undefined],
  ])('are colored in their language: %s %s', (mime, name, language) =>
    expect(findFileLanguage(mime, name)).toBe(language),
  )

  it('can end within a character, and are not shown if they are not UTF-8', () => {
    expect(decodeBeginning(new TextEncoder().encode('wörld 😀').subarray(0, -2))).toBe('wörld ')
    expect(decodeBeginning(Uint8Array.from([0xff, 0xfe, 0x41]))).toBeUndefined()
    expect(decodeBeginning(Uint8Array.from([0x41, 0]))).toBeUndefined()
  })
})
