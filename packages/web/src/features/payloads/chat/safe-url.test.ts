import { describe, expect, it } from 'vitest'
import { isInlineMedia, safeUrl } from './safe-url.ts'

describe('links in traced content', () => {
  it.each(['https://a.b/c?d', 'http://a.b', 'mailto:a@b.c'])('may lead to %s', (url) => expect(safeUrl(url)).toBe(url))

  it.each([
    'javascript:alert(1)',
    ' JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    '/settings',
    '//evil.example',
    'blob:x',
    '',
  ])('may not lead to %s', (url) => expect(safeUrl(url)).toBe(''))
})

describe('media in traced content', () => {
  it.each(['data:image/png;base64,AA', 'data:audio/wav;base64,AA'])('%s is shown', (url) =>
    expect(isInlineMedia(url)).toBe(true),
  )
  it.each(['https://x/y.png', 'data:text/html,<script>', 'data:application/pdf;base64,AA', 'javascript:1'])(
    '%s is not',
    (url) => expect(isInlineMedia(url)).toBe(false),
  )
})
