import { Clock } from 'lucide-react'
import { Suspense } from 'react'
import { formatTimeRange } from '#lib/time/time-range.ts'
import { Button } from './button.tsx'
import { lazyExtra } from './lazy.tsx'
import { Popover } from './popover.tsx'

const TimeRangeForm = lazyExtra(() => import('./time-range-form.tsx').then((module) => module.TimeRangeForm))

export interface TimeRangeMenuProps {
  /** The URL's `t`. */
  value: string
  onChange: (t: string) => void
  open: boolean
  onOpenChange: (open: boolean) => void
}

/** A time range as text, from presets, or between two local times. */
export function TimeRangeMenu({ value, onChange, open, onOpenChange }: TimeRangeMenuProps) {
  function choose(t: string) {
    onChange(t)
    onOpenChange(false)
  }
  return (
    <Popover
      label="Time range"
      preload={TimeRangeForm.preload}
      open={open}
      onOpenChange={onOpenChange}
      className="w-64"
      trigger={
        <Button>
          <Clock size={13} aria-hidden />
          {formatTimeRange(value)}
        </Button>
      }
    >
      <Suspense>
        <TimeRangeForm value={value} onChoose={choose} />
      </Suspense>
    </Popover>
  )
}
