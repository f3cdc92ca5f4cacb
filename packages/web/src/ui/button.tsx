import type { ComponentProps } from 'react'
import { cx } from '#lib/browser/cx.ts'

export type ButtonLook = 'plain' | 'primary' | 'quiet' | 'danger'

export interface ButtonProps extends ComponentProps<'button'> {
  /** @default 'plain' */
  look?: ButtonLook
}

/** The button of forms and toolbars: 28 px high, 40 px on touch screens. */
export function Button({ look = 'plain', className, type = 'button', ...rest }: ButtonProps) {
  return <button type={type} className={cx(buttonLook(look), className)} {...rest} />
}

/** The same look for links: `<Link className={buttonLook('primary')}>`. */
export function buttonLook(look: ButtonLook = 'plain'): string {
  return cx(BASE, LOOKS[look])
}

const BASE =
  'inline-flex h-7 shrink-0 items-center justify-center gap-1.5 whitespace-nowrap rounded-control px-2.5 text-row font-medium select-none disabled:opacity-50 coarse:h-10'

const LOOKS: Record<ButtonLook, string> = {
  plain: 'border border-border bg-surface text-fg hover:bg-hover data-[state=open]:bg-hover',
  primary: 'border border-accent bg-accent text-on-accent hover:brightness-110',
  quiet: 'text-fg-muted hover:bg-hover hover:text-fg data-[state=open]:bg-hover',
  danger: 'border border-border bg-surface text-err hover:bg-del-bg hover:text-fg',
}
