// A point in time; without a zone it is read as German time.
const moment = (z, value, message) => {
  const written = text(value);
  if (!written) return undefined;
  const parts = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2})?(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/i.exec(written);
  if (!parts) refuse(z, message);
  const local = `${parts[1]}T${parts[2] ?? '00:00'}${parts[3] ?? ':00'}${parts[4] ?? ''}`;
  if (Number.isNaN(Date.parse(`${local}Z`))) refuse(z, message);
  if (parts[5]) return local + parts[5].toUpperCase();
  const berlin = new Intl.DateTimeFormat('en', { timeZone: 'Europe/Berlin', timeZoneName: 'longOffset' });
  const offsetAt = (when) =>
    berlin.formatToParts(when).find((part) => part.type === 'timeZoneName').value.replace('GMT', '') || 'Z';
  const near = offsetAt(new Date(`${local}Z`));
  return local + offsetAt(new Date(`${local}${near}`));
};
