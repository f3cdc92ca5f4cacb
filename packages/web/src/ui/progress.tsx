import { cx } from '#lib/browser.ts'

interface ProgressProps {
  label: string
  value: number
  /** 0 while the total is not known yet. */
  max: number
  /** Height and width. */
  className: string
}

/** How much of a piece of work is done, as a bar. */
export function Progress({ label, value, max, className }: ProgressProps) {
  return (
    <progress
      aria-label={label}
      value={value}
      max={Math.max(max, 1)}
      className={cx(
        'appearance-none overflow-hidden rounded-full bg-border [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-border [&::-webkit-progress-value]:bg-accent',
        className,
      )}
    />
  )
}
