import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { Button, type ButtonLook, IconButton } from './button.tsx'
import { toast } from './toast.tsx'

export interface CopyButtonProps {
  text: string | (() => string)
  /** @default 'Copy' */
  label?: string
  look?: ButtonLook
  /** Shows only the icon, with the label in a tooltip. */
  iconOnly?: boolean
}

/** Copies text and confirms it for 1.5 s. */
export function CopyButton({ text, label = 'Copy', look = 'plain', iconOnly = false }: CopyButtonProps) {
  const [copied, setCopied] = useState(false)
  const icon = copied ? Check : Copy
  const Icon = icon
  async function copy() {
    if (!(await copyText(typeof text === 'string' ? text : text()))) return
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  if (iconOnly) return <IconButton icon={icon} label={copied ? 'Copied' : label} onClick={copy} />
  return (
    <Button look={look} onClick={copy}>
      <Icon size={14} aria-hidden />
      <span aria-live="polite">{copied ? 'Copied' : label}</span>
    </Button>
  )
}

/** Writes to the clipboard. A failure (plain HTTP, no permission) is shown as a toast. @returns whether it was copied */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch (cause) {
    toast.failure('Could not copy. The browser denied access to the clipboard.', cause)
    return false
  }
}
