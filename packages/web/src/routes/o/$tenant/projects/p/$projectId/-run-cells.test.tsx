// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import type { Run } from '@touchstone/sdk'
import { afterEach, describe, expect, it } from 'vitest'
import { PayloadCell } from './-run-cells.tsx'

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
