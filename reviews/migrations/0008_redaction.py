from django.db import migrations, models


class Migration(migrations.Migration):
    """What was redacted for. No door made a redaction before: there are no rows to give a kind to."""

    dependencies = [
        ('reviews', '0007_files_beside_runs'),
    ]

    operations = [
        migrations.RemoveField(
            model_name='redaction',
            name='replacement',
        ),
        migrations.AddField(
            model_name='redaction',
            name='kind',
            field=models.CharField(choices=[('secret', 'a secret'), ('customer_data', 'customer data')], default='secret', max_length=20),
            preserve_default=False,
        ),
        migrations.AddConstraint(
            model_name='redaction',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['secret', 'customer_data'])), name='redaction_kind_is_known'),
        ),
    ]
