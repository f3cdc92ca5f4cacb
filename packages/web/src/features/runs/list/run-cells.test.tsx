// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import type { Run } from '@touchstone/sdk'
import { afterEach, describe, expect, it } from 'vitest'
import { PayloadCell, RunCard } from './run-cells.tsx'

afterEach(cleanup)

const aRun = (fields: Partial<Run>) => ({ inputs_preview: 'asked', outputs_preview: 'said', ...fields }) as Run

describe('the cell of a payload', () => {
  it('marks the preview of a model call', () => {
    render(
      <PayloadCell
        run={aRun({ derived_payloads: { inputs: 'first', outputs: null } })}
        side="inputs"
        density="compact"
      />,
    )
    expect(screen.getByTitle(/recorded none/).textContent).toBe('↳ From its first model call: asked')
  })

  it('does not mark what the run recorded', () => {
    const run = aRun({ derived_payloads: { inputs: 'first', outputs: null } })
    render(<PayloadCell run={run} side="outputs" density="compact" />)
    expect(screen.queryByText('said')).not.toBeNull()
    expect(screen.queryByTitle(/recorded none/)).toBeNull()
  })
})

describe('a run on a phone', () => {
  const start_time = '2026-01-01T00:00:00.000000Z'
  const show = (fields: Partial<Run>) => render(<RunCard run={aRun({ name: 'answer', start_time, ...fields })} />)

  it('marks the preview of a model call, unless it shows an error', () => {
    const derived_payloads = { inputs: null, outputs: 'last' }
    show({ derived_payloads })
    screen.getByText('From its last model call:')
    cleanup()
    show({ derived_payloads, error_preview: 'It failed.' })
    screen.getByText('It failed.')
    expect(screen.queryByText(/model call/)).toBeNull()
  })
})
