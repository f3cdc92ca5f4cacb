import { describe, expect, it } from 'vitest'
import { wantsPage } from './link-page.ts'

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36'
const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

describe('a GET of a feedback link', () => {
  it.each([
    ['a browser that opens it', { accept: HTML, 'sec-fetch-mode': 'navigate', 'user-agent': BROWSER }],
    ['an old browser that opens it', { accept: HTML, 'user-agent': BROWSER }],
    ['a scanner that poses as a browser', { accept: '*/*', 'user-agent': BROWSER }],
    ['a scanner with a known user agent', { accept: '*/*', 'user-agent': 'Barracuda Sentinel (EE)' }],
    ['a preview of a chat', { accept: '*/*', 'user-agent': 'Slackbot-LinkExpanding 1.0' }],
    ['a browser that prefetches', { accept: '*/*', 'sec-purpose': 'prefetch;prerender', 'sec-fetch-mode': 'no-cors' }],
    ['an old browser that prefetches', { 'x-moz': 'prefetch', 'user-agent': BROWSER }],
  ])('returns a page: %s', (_who, headers) => {
    expect(wantsPage({ method: 'GET', headers })).toBe(true)
  })

  it('returns a page: HEAD', () => {
    expect(wantsPage({ method: 'HEAD', headers: { accept: 'application/json' } })).toBe(true)
  })

  it.each([
    ['a script of a web page', { accept: '*/*', 'sec-fetch-mode': 'cors', origin: 'https://a.example' }],
    ['a script in an old browser', { accept: '*/*', origin: 'https://a.example', 'user-agent': BROWSER }],
    ['an image of a web page', { accept: 'image/avif,image/webp,*/*;q=0.8', 'sec-fetch-mode': 'no-cors' }],
    ['a program that takes JSON', { accept: 'application/json', 'user-agent': BROWSER }],
    ['requests', { accept: '*/*', 'user-agent': 'python-requests/2.32' }],
    ['curl', { accept: '*/*', 'user-agent': 'curl/8.9' }],
    ['a program without headers', {}],
  ])('records feedback: %s', (_who, headers) => {
    expect(wantsPage({ method: 'GET', headers })).toBe(false)
  })
})
