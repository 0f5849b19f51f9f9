"""Texts of the shape that nvidia-smi prints."""

GPU = """<gpu id="{bus}">
  <product_name>{name}</product_name>
  <mig_mode><current_mig>{mig}</current_mig><pending_mig>{mig}</pending_mig></mig_mode>
  <uuid>{uuid}</uuid>
  <compute_mode>Default</compute_mode>
  <ecc_mode><current_ecc>Enabled</current_ecc></ecc_mode>
  {power}
  <clocks><graphics_clock>345 MHz</graphics_clock><sm_clock>345 MHz</sm_clock><mem_clock>3201 MHz</mem_clock></clocks>
  <applications_clocks><graphics_clock>N/A</graphics_clock></applications_clocks>
  <max_clocks><sm_clock>1980 MHz</sm_clock></max_clocks>
  <processes>{processes}</processes>
</gpu>"""
NEW = "<gpu_power_readings><current_power_limit>700.00 W</current_power_limit></gpu_power_readings>"
PROCESS = "<process_info><pid>{}</pid><type>{}</type><process_name>{}</process_name></process_info>"


def a_gpu(uuid: str, *, name: str = "NVIDIA H200", mig: str = "Disabled", power: str = NEW, processes: str = "") -> str:
    return GPU.format(bus="0", uuid=uuid, name=name, mig=mig, power=power, processes=processes)


def a_log(*gpus: str, cuda: str = "13.1") -> str:
    head = f"<driver_version>590.48.01</driver_version><cuda_version>{cuda}</cuda_version>"
    return f'<?xml version="1.0" ?><nvidia_smi_log>{head}{"".join(gpus)}</nvidia_smi_log>'
