import type { LinkProps } from '@tanstack/react-router'
import {
  Bell,
  Building2,
  ChartColumn,
  CircleDollarSign,
  DatabaseBackup,
  Hourglass,
  Inbox,
  KeyRound,
  Link2,
  type LucideIcon,
  MessageSquareText,
  Plug,
  Rows3,
  SlidersHorizontal,
  Users,
  Webhook,
} from 'lucide-react'

export interface SettingsSection {
  to: NonNullable<LinkProps['to']>
  label: string
  icon: LucideIcon
  /** The minimum role that may change anything on the page; absent if the page itself checks it or stores nothing. */
  least?: 'member' | 'admin'
}

/** The navigation of the settings. Each page is a route below `settings`. */
export const SETTINGS_SECTIONS: readonly { heading: string; sections: readonly SettingsSection[] }[] = [
  {
    heading: 'Workspace',
    sections: [
      { to: '/o/$tenant/settings/workspace', label: 'General', icon: Building2 },
      { to: '/o/$tenant/settings/members', label: 'Members', icon: Users },
      { to: '/o/$tenant/settings/api-keys', label: 'API keys', icon: KeyRound },
      { to: '/o/$tenant/settings/providers', label: 'Providers', icon: Plug, least: 'admin' },
      { to: '/o/$tenant/settings/spending', label: 'Spending', icon: CircleDollarSign },
    ],
  },
  {
    heading: 'Data',
    sections: [
      { to: '/o/$tenant/settings/prices', label: 'Model prices', icon: Rows3, least: 'member' },
      { to: '/o/$tenant/settings/feedback', label: 'Feedback', icon: MessageSquareText, least: 'member' },
      { to: '/o/$tenant/settings/retention', label: 'Retention', icon: Hourglass },
      { to: '/o/$tenant/settings/ingest', label: 'Ingest', icon: Inbox },
      { to: '/o/$tenant/settings/usage', label: 'Usage', icon: ChartColumn },
      { to: '/o/$tenant/settings/channels', label: 'Notification channels', icon: Bell, least: 'admin' },
      { to: '/o/$tenant/settings/webhooks', label: 'Webhooks', icon: Webhook, least: 'admin' },
      { to: '/o/$tenant/settings/shared', label: 'Shared links', icon: Link2, least: 'member' },
    ],
  },
  {
    heading: 'Server',
    sections: [{ to: '/o/$tenant/settings/backups', label: 'Backups', icon: DatabaseBackup }],
  },
  {
    heading: 'You',
    sections: [{ to: '/o/$tenant/settings/preferences', label: 'Preferences', icon: SlidersHorizontal }],
  },
]
