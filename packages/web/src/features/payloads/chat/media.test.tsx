// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json } from '#lib/api/testing/fake-api.tsx'
import { Toasts } from '#ui/toast.tsx'
import { PdfFrame } from './media.tsx'

afterEach(async () => {
  for (const button of screen.queryAllByRole('button', { name: 'Dismiss' })) await userEvent.click(button)
  cleanup()
  vi.unstubAllGlobals()
})

async function show(answer: () => Response) {
  const calls = fakeApi({ 'GET /blobs/a-token.of-a-file': answer })
  render(
    <>
      <PdfFrame url={`${location.origin}/api/v1/blobs/a-token.of-a-file`} name="report.pdf" />
      <Toasts />
    </>,
  )
  await userEvent.click(screen.getByRole('button', { name: 'Show report.pdf' }))
  return calls
}

describe('a PDF that is attached to a run', () => {
  it('is loaded on request and shown in a frame', async () => {
    const calls = await show(() => new Response('%PDF-1.7', { headers: { 'content-type': 'application/pdf' } }))
    const frame = await screen.findByTitle<HTMLIFrameElement>('report.pdf')
    expect(frame.src).toMatch(/^blob:/)
    expect(calls).toHaveLength(1)
  })

  it('is not shown when the signed URL has expired; the cause is shown', async () => {
    await show(() => json({ detail: 'Attachment not found: the link has expired.' }, 404))
    await screen.findByText('Could not load the document')
    screen.getByText('Attachment not found: the link has expired.')
    expect(screen.queryByTitle('report.pdf')).toBeNull()
  })
})
