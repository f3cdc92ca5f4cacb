import { expect, it } from 'vitest'
import { crashReport } from './crash-page.tsx'

it('names the route, the location and the request without traced data', () => {
  const error = Object.assign(new TypeError('cannot read "my secret prompt"'), { status: 500, requestId: 'r-1' })
  const report = crashReport(error, '/o/$tenant/projects/', 'Browser/1')
  expect(report).toContain('route: /o/$tenant/projects/')
  expect(report).toContain('error: TypeError')
  expect(report).toContain('request: r-1')
  expect(report).toMatch(/^at .*crash-page\.test/m)
  expect(report).not.toContain('secret')
  expect(crashReport('my secret', undefined, 'Browser/1')).not.toContain('secret')
})
